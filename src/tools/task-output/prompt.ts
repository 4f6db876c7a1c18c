export const prompt = `Reads the new output of a background task since the last read, and its status.

- task_id is the id returned by the call that started the task.
- Waits for the end of the task unless block is false, at most timeout milliseconds (30000 by default, at most 600000). If it is still running then, you get the output so far; call again to wait longer.
- Use it instead of sleeping. Output is returned only once; the complete output is in the file that the result names.`
