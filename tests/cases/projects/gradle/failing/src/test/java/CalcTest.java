import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CalcTest {
    @Test
    public void one() {
        assertEquals(3, Calc.add(1, 2));
    }

    @Test
    public void two() throws Exception {
        assertEquals(6, Calc.add(2, 3));
    }
}
