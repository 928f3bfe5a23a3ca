/* mark: have the instructions up to here written down (tests/vm/count.c) */
int main(void)
{
	__asm__ volatile(
		".byte 0x0f, 0x1f, 0x80, 0x4d, 0x31, 0x54, 0x30"); /* nopl 0x3054314d(%rax) */
	return 0;
}
