export const prompt = `Changes several files by one patch: all of it, or nothing if any part has no place.

*** Begin Patch
*** Update File: src/app.ts
@@ class App {
   start() {
-    this.open()
+    this.open(1)
   }
*** Add File: src/new.ts
+export const one = 1
*** Delete File: src/old.ts
*** End Patch

- Paths are absolute or from the working folder. Every file is named once; "*** Move to: PATH" below "*** Update File: PATH" moves it.
- In an update, lines begin with " " (stays), "-" (goes) or "+" (comes). Give about three lines before and after each change, as they stand in the file.
- Begin every further place in the file with "@@". Where the lines alone are not unique, "@@ LINE" names a line above them, such as the head of the function; several of them go from the outside in.
- In an added file every line begins with "+". "*** End of File" says that the lines are the last of the file.
- Read files before you update or delete them. Write no placeholder in place of code.
- A unified diff is taken as well.`
