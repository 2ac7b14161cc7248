/*
 * true.c - the target of the exec tests that does nothing, well: built as
 * true-dynamic and as true-static.
 */
int main(void)
{
	return 0;
}
