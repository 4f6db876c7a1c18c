import { execFile } from 'node:child_process'

/** A command with its own terminal. */
export class TerminalSession {
  readonly #child
  #text = ''
  #onText = () => {}
  readonly ended: Promise<{ code: number | null; text: string }>

  constructor(command: string, { cwd, home }: { cwd: string; home: string }) {
    const env = { PATH: process.env.PATH, HOME: home, SHELL: '/bin/sh' }
    this.#child = execFile('script', ['-qefc', command, '/dev/null'], { cwd, env })
    this.#child.stdout?.on('data', (chunk) => {
      this.#text += chunk
      this.#onText()
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => resolve({ code, text: this.#text }))
    })
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  async waitForText(text: string): Promise<void> {
    while (!this.#text.includes(text)) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onText = resolve
        }),
        this.ended.then((end) =>
          Promise.reject(new Error(`The command ended without printing "${text}". It printed: ${end.text}`)),
        ),
      ])
    }
  }
}
