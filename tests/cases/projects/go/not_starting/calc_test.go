package calc

import (
	"testing"
)

func TestOne(t *testing.T) {
	if Add(1, 1) != 2 {
		t.Fatal("not 2")
	}
}

func TestTwo(t *testing.T) {
	if Add(1, "2") != 3 {
		t.Fatal("not 3")
	}
}
