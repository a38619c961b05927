echo 1..2
echo "ok 1 - one"
sleep 10000 &
sleep 10000
