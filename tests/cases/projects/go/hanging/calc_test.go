package calc

import (
	"testing"
	"time"
)

func TestOne(t *testing.T) {
	if Add(1, 1) != 2 {
		t.Fatal("not 2")
	}
}

func TestTwo(t *testing.T) {
	time.Sleep(10000 * time.Second)
}
