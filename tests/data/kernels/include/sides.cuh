#define SIDE 32
