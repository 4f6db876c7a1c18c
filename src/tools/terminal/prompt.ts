import { NAMED_KEYS } from './key-sequence.js'

export const prompt = `Drives an interactive program in a terminal: a prompt, an editor, a debugger, an installer that asks questions. For anything that runs by itself use Bash.

- action "start" runs command and answers with a session_id and the screen. Close the session when you are done.
- action "send" types keys into the program: a list of texts, in which an item in angle brackets is a key, as in ["<Escape>", ":wq", "<Enter>"]. There are ${NAMED_KEYS.join(', ')}, <C-a> to <C-z> with Control, and <M-x> with Alt. Nothing presses Enter for you.
- action "read" answers with the screen as it is now.
- action "wait" waits until text stands on the screen, at most timeout milliseconds (10000 unless set, at most 600000). After starting or sending, wait for what the program shows when it is ready, rather than reading again and again.
- action "close" ends the program and all that it started.

Start and send answer with the screen once the program has been quiet for a moment; wait may follow in the same message.`
