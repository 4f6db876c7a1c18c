export const prompt = `Sends a message to a member of your team. This is the only way to reach another member: nobody sees the text that you write otherwise.

- to: the name of the member, or "*" for all other members. Use "*" rarely: everybody is interrupted.
- message: plain text, at most 20,000 characters. For more, write a file and send its path.
- summary: a few words for the user.

A member that works gets the message between its steps; an idle one continues with it. Messages from others reach you the same way: do not poll for an answer, and end your turn if you have nothing else to do.

The result lists earlier messages of yours that the member has not received yet.`
