export const prompt = `Reads what background work has printed since it was last read, and tells whether it still runs.

- task_id is what the call that started the work was answered with.
- Waits for the end of the work unless block is false, at most timeout milliseconds (30000 unless set, at most 600000). If it still runs then, you get what there is; call again to wait longer.
- Use it instead of sleeping. What was read once is not given again; everything is in the file that the answer names.`
