export const prompt = `Notifies the user outside the conversation, for example on the desktop or on the phone. The user may be away from the screen.

Use it when long work has ended, when you cannot continue without the user, or when the user asked to be told. Do not use it for what the user reads in your answer anyway.

- title: what happened, in a few words.
- message: what the user needs to know or decide, in one or two sentences. Never include secrets.`
