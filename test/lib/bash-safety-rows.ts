import { readFileSync } from 'node:fs'

export interface CommandRow {
  readonly id: string
  readonly command: string
  readonly label: 'readonly' | 'effect' | 'must_ask'
  readonly category: string
}

export interface RuleRow {
  readonly id: string
  readonly rules: { readonly allow: string[]; readonly deny: string[]; readonly ask: string[] }
  readonly command: string
  readonly expected: string
  readonly also_ok: readonly string[]
}

/** A row of `attack-rules.jsonl`: part 2 has attacks on rules, part 3 has everyday commands that only read. */
export interface AttackRow {
  readonly id: string
  readonly part: 2 | 3
  readonly rules?: RuleRow['rules']
  readonly command: string
  /** `allow`, or another answer that must not be `allow`. */
  readonly expected: string
}

/** The folder in which every command of the fixtures ran. */
export const FIXTURE_FOLDER = '/home/dev/proj'

export function readCommandRows(name: 'benign-readonly' | 'benign-effect' | 'adversarial'): readonly CommandRow[] {
  return readRows(name) as readonly CommandRow[]
}

export function readRuleRows(): readonly RuleRow[] {
  return readRows('rules') as readonly RuleRow[]
}

export function readAttackRows(): readonly AttackRow[] {
  return readRows('attack-rules') as readonly AttackRow[]
}

function readRows(name: string): readonly unknown[] {
  const file = new URL(`../fixtures/bash-safety/${name}.jsonl`, import.meta.url)
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
