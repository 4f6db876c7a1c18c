export const prompt = `Ends background work, with every process that it started.

task_id is what the call that started the work was answered with. What it printed can still be read with TaskOutput.`
