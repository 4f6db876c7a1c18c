export const prompt = `Changes several files with one patch: all changes, or none if one has no match.

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

- Paths are absolute or relative to the working directory. Each file appears once; "*** Move to: PATH" below "*** Update File: PATH" moves it.
- In an update, lines start with " " (unchanged), "-" (removed) or "+" (added). Give about three lines before and after each change, exactly as in the file.
- Start every further place in the file with "@@". If the lines are not unique, "@@ LINE" names a line above them, such as the head of the function; use several from the outermost to the innermost.
- In an added file every line starts with "+". "*** End of File" marks the lines as the last of the file.
- Read files before you update or delete them. Do not write placeholders instead of code.
- A unified diff is also accepted.`
