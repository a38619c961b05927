#include <unistd.h>

int main(void)
{
    return 2 + 3 == 6 ? 0 : 1;
}
