setup() { . ./calc.sh; }

@test "one" {
  [ "$(add 1 1)" -eq 2 ]
}

@test "two" {
  sleep 10000
}
