import type { RuleSource } from '../../contract/permission/context.js'
import { printable } from '../../shared/printable.js'
import { type JsoncNode, nearestNode, type TextPosition, textPosition } from '../jsonc/parse-jsonc.js'

/** Something wrong with the settings that a person must see; nothing is dropped without one. */
export interface SettingsProblem {
  /** An error took something out of force; a warning did not. */
  readonly severity: 'error' | 'warning'
  readonly source: RuleSource
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** One line, with file, line and column where they are known. */
  readonly message: string
}

/** Where a problem lies: a file, or the name of the option that carried the settings. */
export interface ProblemPlace {
  readonly source: RuleSource
  readonly file?: string
  readonly name: string
}

export function settingsProblem(
  severity: SettingsProblem['severity'],
  place: ProblemPlace,
  text: string,
  position?: TextPosition,
): SettingsProblem {
  const at = position === undefined ? '' : `:${position.line}:${position.column}`
  return {
    severity,
    source: place.source,
    ...(place.file !== undefined && { file: place.file }),
    ...position,
    message: printable(`${place.name}${at}: ${text}`),
  }
}

/** A hostile file could hold a hundred thousand mistakes; a person reads a few. */
const MAX_PROBLEMS = 20

/** Collects what is wrong with one file, each mistake with its line and column. */
export class ProblemLog {
  /** False once something is lost that may have made Haft stricter. */
  isComplete = true
  private readonly found: SettingsProblem[] = []
  private uncounted = 0

  constructor(
    private readonly place: ProblemPlace,
    private readonly text?: string,
    private readonly root?: JsoncNode,
  ) {}

  add(severity: SettingsProblem['severity'], text: string, path?: readonly PropertyKey[]): void {
    const isPlaced = !this.isFull && this.root !== undefined && path !== undefined
    this.addAt(severity, text, isPlaced ? nearestNode(this.root, path).start : undefined)
  }

  /** True when more is only counted, and details need not be worked out. */
  get isFull(): boolean {
    return this.found.length >= MAX_PROBLEMS
  }

  addAt(severity: SettingsProblem['severity'], text: string, offset?: number): void {
    if (this.isFull) {
      this.uncounted++
      return
    }
    const position = this.text === undefined || offset === undefined ? undefined : textPosition(this.text, offset)
    this.found.push(settingsProblem(severity, this.place, text, position))
  }

  get problems(): readonly SettingsProblem[] {
    if (this.uncounted === 0) return this.found
    return [...this.found, settingsProblem('error', this.place, `has ${this.uncounted} more mistakes.`)]
  }
}
