import type { View } from '../../contract/views.js'
import { didYouMean } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PromptSubmission } from '../app/app-session.js'
import type { TerminalApp } from '../app/terminal-app.js'
import type { CompletionItem, Submission } from '../editor/editor.js'

/** The outcome of a command: a view to show, a prompt for the model, or neither. */
export type SlashOutcome = { readonly view: View } | { readonly prompt: PromptSubmission } | undefined

/** A command that the user enters as `/name`. */
export interface SlashCommand {
  readonly name: string
  readonly summary: string
  /** The arguments, such as `[FILE]`. */
  readonly argumentHint?: string
  /** Where the command is defined; undefined for built-in commands. */
  readonly source?: string
  /** Whether the command may run while the model works. Default: false. */
  readonly runsWhileWorking?: boolean
  run(args: string, app: TerminalApp, submission: Submission): Promise<SlashOutcome> | SlashOutcome
}

const COMMAND = /^\/([A-Za-z][\w.:-]*)(?:\s+([\s\S]*))?$/

/** The commands of the terminal. If several have the same name, the first one takes precedence. */
export class SlashCommands {
  readonly #commands = new Map<string, SlashCommand>()

  add(commands: readonly SlashCommand[]): void {
    for (const command of commands) if (!this.#commands.has(command.name)) this.#commands.set(command.name, command)
  }

  get list(): readonly SlashCommand[] {
    return [...this.#commands.values()]
  }

  /**
   * Returns proposals for a word that starts with `/`: first the commands that start with the word, then others that contain
   * it.
   */
  complete(word: string): readonly CompletionItem[] {
    const typedName = word.slice(1).toLowerCase()
    const matches = this.list.filter(({ name }) => name.toLowerCase().includes(typedName))
    const isPrefix = ({ name }: SlashCommand) => name.toLowerCase().startsWith(typedName)
    return [...matches.filter(isPrefix), ...matches.filter((command) => !isPrefix(command))].map(
      ({ name, summary, argumentHint }) => ({
        value: `/${name}`,
        description: argumentHint === undefined ? summary : `${argumentHint}  ${summary}`,
      }),
    )
  }

  /**
   * Runs a command. Returns false if the text is not a command but a prompt, for example one that starts with a path.
   */
  run(submission: Submission, app: TerminalApp): boolean {
    const [, name, args = ''] = COMMAND.exec(submission.text.trim()) ?? []
    if (name === undefined) return false
    const command = this.#commands.get(name)
    if (command === undefined) {
      app.transcript.addNotice(
        'warning',
        `Unknown command /${name}.${didYouMean(name, [...this.#commands.keys()])} See /help.`,
      )
      app.prompt.editor.setText(submission.text)
      return true
    }
    if (app.isWorking && command.runsWhileWorking !== true) {
      app.prompt.editor.setText(submission.text)
      app.transcript.addNotice(
        'warning',
        `${quote(`/${name}`)} cannot run while the model is working. Esc interrupts the model.`,
      )
      return true
    }
    void this.#perform(command, args.trim(), submission, app)
    return true
  }

  async #perform(command: SlashCommand, args: string, submission: Submission, app: TerminalApp): Promise<void> {
    try {
      const outcome = await command.run(args, app, submission)
      if (outcome === undefined) return
      if ('prompt' in outcome) app.send(outcome.prompt)
      else {
        app.transcript.addPrompt(submission.text.trim())
        app.transcript.addView(outcome.view)
      }
    } catch (error) {
      app.transcript.addNotice('error', `/${command.name}: ${reasonOf(error)}`)
    }
  }
}
