export const prompt = `Lists the tasks of this project's task board, in the order of their creation: number, status, subject, owner, and what each waits for.

Use it at the start of work that others may have planned, after you completed a task, and before you add tasks. Prefer the lowest number that is pending, has no owner and waits for nothing.`
