<?php
use PHPUnit\Framework\TestCase;

class CalcTest extends TestCase
{
    public function testOne(): void
    {
        $this->assertSame(3, 1 + 2);
    }

    public function testTwo(): void
    {
        sleep(100000);
    }
}
