export const prompt = `Runs a prompt at a later time: once or again and again.

- cron: five fields in the user's local time: minute, hour, day of the month, month, day of the week. "0 9 * * 1-5" is every weekday at 9:00, "*/15 * * * *" every 15 minutes. For a single moment such as "tomorrow at 14:30", fill in the date ("30 14 19 11 *") and set recurring to false.
- prompt: what you want to be told then. Write it so that it can be understood without this conversation.
- durable: without it, the task belongs to this session: the prompt arrives here as a message, and the task ends with the session. With it, the task is kept until it is deleted, and each run is a new session without a user, which can only use what the user's settings allow. The user is asked first.
- ifMissed: what to do for a durable task when the computer was off: run_once (default) makes up for all missed times with one run, skip waits for the next time.

Unless the user named an exact time, avoid minute 0 and 30, so that not everything happens at the same moment. Tell the user the task's number and when it runs next.`
