import { didYouMean } from '../../shared/nearest-names.js'

/** Advice for common mistakes in patterns, selected by the error message of ripgrep. */
const ADVICE_BY_ERROR: readonly (readonly [error: RegExp, advice: string])[] = [
  [/repetition|quantifier/i, 'Escape literal characters as \\{ \\} \\* \\+ \\?, as in "interface\\{\\}".'],
  [/unclosed group|unopened group|parenthes/i, 'Escape a literal parenthesis as \\( or \\), as in "main\\(".'],
  [/character class/i, 'Escape a literal bracket as \\[, as in "args\\[0\\]".'],
  [/unrecognized escape/i, 'Remove the backslash before characters without a special meaning.'],
]

/** Returns the message of a failed search with advice. */
export function explainQuery(message: string, type: string | undefined): string {
  const sentence = message.replace(/([^.])$/, '$1.')
  if (type !== undefined && /file type/.test(message)) return `${sentence}${didYouMean(type, FILE_TYPES)}`
  const entry = ADVICE_BY_ERROR.find(([error]) => error.test(message))
  return entry === undefined ? sentence : `${sentence} ${entry[1]}`
}

/** Common file types of ripgrep, for suggestions. */
const FILE_TYPES =
  'asciidoc asm awk bazel c clojure cmake config cpp csharp css csv cuda dart diff docker elixir elm erlang fish fsharp go gradle graphql groovy h haskell html java jinja js json jsonl julia jupyter kotlin less lisp lock log lua make markdown md nim nix objc ocaml perl php protobuf ps py python r rst ruby rust sass scala sh sql svelte svg swift tcl tex tf toml ts txt typescript vim vue xml yaml zig zsh'.split(
    ' ',
  )
