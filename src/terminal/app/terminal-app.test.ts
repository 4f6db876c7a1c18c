import { expect, test } from 'vitest'
import type { QueryEnd } from '../../session/conversation/session-event.js'
import type { AppSession } from './app-session.js'
import type { PromptScreen } from './prompt-screen.js'
import { TerminalApp } from './terminal-app.js'

/** An app whose model never takes the notices that wait. `ends` are the ends of its turns. */
function startApp(ends: QueryEnd['reason'][]) {
  const prompts: unknown[] = []
  const screen = { columns: 80, setTitle() {}, notify() {} }
  const prompt = { screen, isScreenReader: false, dialogs: [], commit() {}, draw() {} }
  const session = {
    session: { spending: { tokens: 0 }, runtime: { cwd: '/' }, hasMail: true, takeQueued: () => [] },
    hasNotices: true,
    async ask(content: unknown) {
      prompts.push(content)
      const reason = ends.shift() ?? 'interrupted'
      return { reason, text: '', turns: 1, costUsd: 0, denials: [] }
    },
    readSubmission: async ({ text }: { text: string }) => text,
  }
  const app = new TerminalApp(prompt as unknown as PromptScreen, session as unknown as AppSession)
  const finishTurn = () => expect.poll(() => app.isWorking).toBe(false)
  return { app, prompts, finishTurn, wake: () => app.session.onWake?.() }
}

test.each(['interrupted', 'max_turns', 'max_budget'] as const)(
  'after the end %s, reports wake the model only when the user has sent a prompt',
  async (reason) => {
    const { app, prompts, finishTurn, wake } = startApp([reason, 'completed', reason])
    wake()
    await finishTurn()
    wake()
    expect(app.isWorking).toBe(false)
    expect(prompts).toEqual([undefined])

    app.submit({ text: 'Go on', attachments: [] })
    await finishTurn()
    wake()
    await finishTurn()
    wake()
    await finishTurn()
    expect(prompts).toEqual([undefined, 'Go on', undefined])
  },
)
