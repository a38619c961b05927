@test "one" {
  if
}
