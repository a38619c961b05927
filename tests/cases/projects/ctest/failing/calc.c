#include <stdlib.h>
#include <unistd.h>

int add(int a, int b) { return a + b; }

int main(int n, char **words) {
    (void)n;
    if (atoi(words[1]) == 1) return add(1, 1) != 2;
    return add(1, 2) != 4;
}
