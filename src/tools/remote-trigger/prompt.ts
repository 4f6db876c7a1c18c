export const prompt = `Starts a run of the agent in the background: a new session with its own context, which works without a user and can only use what the settings of its machine allow.

- prompt: the whole task. The run knows nothing of this conversation.
- worker: the name of another machine from the user's settings; leave it out to use the schedule service of this machine.

The call returns when the run is stored, not when it is done. You do not get its answer: use Agent if you need it.`
