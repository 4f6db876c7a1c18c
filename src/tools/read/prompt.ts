export const prompt = `Reads a file. Text is returned as numbered lines: the number, a tab, the line.

- file_path is absolute or relative to the working directory.
- Without offset and limit the first 2,000 lines are read. Read only the part you need of a long file; find it with Grep first.
- Lines longer than 2,000 characters are cut.
- Images (PNG, JPEG, GIF, WebP) are shown to you as images.
- For a PDF with more than 10 pages give the pages, at most 20 at a time, for example pages: "1-5".
- Notebooks (.ipynb) are returned cell by cell with their outputs; offset and limit count cells.
- A folder cannot be read: list it with Glob.
- Read a file before you change it. After your own change you need not read it again.
- To read several files at once, make several calls in one message.`
