export const prompt = `Reads a file. Text is returned as numbered lines: the number, a tab, the line.

- Read only the part you need of a long file; find it with Grep first. A result that is cut says where to continue.
- Images are shown to you. A PDF with more than 10 pages needs pages. Notebooks are returned cell by cell with their outputs; offset and limit count cells.
- Read a file before you change it. To list a folder, use Glob.`
