/* A shared library that is no plug-in. */
int fake_no_entry(void);
int fake_no_entry(void) {
  return 0;
}
