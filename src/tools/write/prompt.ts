export const prompt = `Writes a whole file: creates it, or replaces its content.

- To change part of a file use Edit. Read an existing file first.
- Send the complete content: a placeholder such as "... rest unchanged ..." is refused.
- Missing folders are created. An existing file keeps its encoding, line endings and mode.
- Write documentation files only if the user asked for them.`
