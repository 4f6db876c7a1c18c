export const prompt = `Reads a file. Text comes as numbered lines: the number, a tab, the line.

- file_path is absolute, or counts from the working folder.
- Without offset and limit the first 2,000 lines are read. Of a long file read only the part you need; find it with Grep first.
- Lines of more than 2,000 characters are cut.
- Pictures (PNG, JPEG, GIF, WebP) are shown to you as pictures.
- Of a PDF of more than 10 pages name the pages, at most 20 at once, for example pages: "1-5".
- Notebooks (.ipynb) come cell by cell with their outputs; offset and limit count cells.
- A folder cannot be read: list it with Glob.
- Read a file before you change it. After your own change there is no need to read it again.
- Several files can be read at once, by several calls in one message.`
