echo 1..2
echo "ok 1 - one"
echo "not ok 2 - two"
exit 1
