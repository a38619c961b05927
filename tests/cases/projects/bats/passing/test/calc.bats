setup() { . ./calc.sh; }

@test "one" {
  [ "$(add 1 1)" -eq 2 ]
}

@test "two" {
  [ "$(add 1 2)" -eq 3 ]
}
