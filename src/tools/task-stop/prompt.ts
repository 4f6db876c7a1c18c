export const prompt = `Ends a background task and every process that it started.

task_id is the id returned by the call that started the task. Its output can still be read with TaskOutput.`
