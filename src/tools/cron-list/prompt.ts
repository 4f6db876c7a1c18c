export const prompt = `Lists the scheduled tasks: those of this session, and the durable ones of this project with their last run. Shows when each runs next.`
