export const prompt = `Sends a message to the user that stands out from the rest of your output, with files attached if needed. The user may not read everything else you write.

Use it for what the user must not miss: the outcome of long work, a decision or problem that needs attention, something you noticed on the way. Do not use it for routine progress, nor to repeat your final answer.

- message: what the user needs to know, first the most important sentence. Markdown.
- attachments: paths of files that belong to the message, such as a report or a screenshot. The user must be allowed to read them; a missing file is an error, and nothing is sent.`
