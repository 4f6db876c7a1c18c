export const prompt = `Writes a whole file: creates it, or replaces its content.

- To change part of a file use Edit: it costs less and cannot lose the rest.
- Read an existing file first, so that nothing is overwritten unseen.
- Send the complete content. A placeholder such as "... rest unchanged ..." instead of code is refused.
- Missing folders are created. An existing file keeps its encoding, line endings and mode.
- Write documentation files only if the user asked for them.`
