echo 1..2
echo "ok 1 - one"
echo "ok 2 - two"
