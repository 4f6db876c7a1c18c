export const prompt = `Deletes a scheduled task by its id, as CronCreate and CronList show it. A run that has already begun continues.`
