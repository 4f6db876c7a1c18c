export const prompt = `Shows one task of the task board with its whole description, the tasks it waits for, the tasks that wait for it, and its latest changes.

Use it before you start a task that you have only seen in TaskList.`
