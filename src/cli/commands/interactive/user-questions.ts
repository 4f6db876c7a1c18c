import type { AskPermission } from '../../../calls/call-environment.js'
import type { AskPort, Elicitation, ElicitationAnswer } from '../../../contract/ports/ask.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import type { PromptScreen } from '../../../terminal/app/prompt-screen.js'
import { ChoiceDialog } from '../../../terminal/dialogs/choice-dialog.js'
import type { AnswerDialog } from '../../../terminal/dialogs/dialog.js'
import { FormDialog } from '../../../terminal/dialogs/form-dialog.js'
import { PermissionDialog } from '../../../terminal/dialogs/permission-dialog.js'
import { QuestionDialog } from '../../../terminal/dialogs/question-dialog.js'
import type { CommandHost } from '../../io/command.js'
import { prepareQuestion } from './permission-questions.js'

/** Asks the user with dialogs, one after the other. */
export class UserQuestions {
  /** Called when a question is shown, with the type and the message for Notification hooks. */
  onWaiting: (type: string, message: string) => void = () => {}
  readonly #prompt: PromptScreen
  readonly #host: CommandHost

  constructor(prompt: PromptScreen, host: CommandHost) {
    this.#prompt = prompt
    this.#host = host
  }

  readonly askWith =
    (settings: LoadedSettings): AskPermission =>
    async (question) => {
      const { request, toAnswer } = await prepareQuestion(question, this.#host, settings)
      this.onWaiting('permission_prompt', `${question.tool.name} needs your permission`)
      const dialog = new PermissionDialog(request, question.countWaiting, question.beginAnswer)
      const answer = await this.#show(dialog, { behavior: 'deny' } as const, question.signal)
      return toAnswer(answer)
    }

  readonly askPort: AskPort = {
    canAsk: true,
    askQuestions: async (questions, { signal } = {}) => {
      this.onWaiting('elicitation_dialog', 'The model has a question')
      return this.#show(new QuestionDialog(questions), undefined, signal)
    },
    handleElicitation: async (elicitation, { signal } = {}) => {
      this.onWaiting('elicitation_dialog', `${elicitation.serverName} has a question`)
      if (elicitation.url !== undefined) return this.#openPage(elicitation, elicitation.url, signal)
      return this.#show(new FormDialog(elicitation), { action: 'cancel' } as const, signal)
    },
  }

  /** Shows the whole URL first, so that the user decides whether to open it. */
  async #openPage(
    { serverName, message }: Elicitation,
    url: string,
    signal: AbortSignal | undefined,
  ): Promise<ElicitationAnswer> {
    const dialog = new ChoiceDialog(
      {
        type: 'group',
        layout: 'block',
        children: [
          { type: 'text', text: `The MCP server ${serverName} asks you to open a page:`, bold: true },
          message,
          { type: 'text', text: url, tone: 'path' },
        ],
      },
      [{ label: 'Open it' }, { label: 'Decline' }],
    )
    const choice = await this.#show<number | undefined>(dialog, undefined, signal)
    if (choice === undefined) return { action: 'cancel' }
    if (choice === 1) return { action: 'decline' }
    await this.#host.openBrowser(url)
    return { action: 'accept' }
  }

  #show<T>(dialog: AnswerDialog<T>, fallback: T, signal: AbortSignal | undefined): Promise<T> {
    return this.#prompt.ask(dialog, fallback, signal)
  }
}
