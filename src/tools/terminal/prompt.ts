import { NAMED_KEYS } from './key-sequence.js'

export const prompt = `Drives an interactive program in a terminal: a prompt, an editor, a debugger, an installer that asks questions. Use Bash for programs that need no input.

- action "start" runs command and returns a session_id and the screen. Close the session when you are done.
- action "send" types keys into the program: a list of texts, in which an item in angle brackets is a key, as in ["<Escape>", ":wq", "<Enter>"]. Keys are ${NAMED_KEYS.join(', ')}, <C-a> to <C-z> with Control, and <M-x> with Alt. Enter is never pressed for you.
- action "read" returns the current screen.
- action "wait" waits until text appears on the screen, at most timeout milliseconds (10000 by default, at most 600000). After starting or sending, wait for what the program shows when it is ready, instead of reading repeatedly.
- action "close" ends the program and all processes that it started.

Start and send return the screen once the program has been idle for a moment; wait may follow in the same message.`
