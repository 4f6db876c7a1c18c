import { didYouMean } from '../../shared/did-you-mean.js'

/** What often goes wrong in a pattern, by what is said of it, and how to write it. */
const ADVICE: readonly (readonly [says: RegExp, advice: string])[] = [
  [/repetition|quantifier/i, 'Meant as themselves, these are written \\{ \\} \\* \\+ \\?, as in "interface\\{\\}".'],
  [/unclosed group|unopened group|parenthes/i, 'A parenthesis meant as itself is written \\( or \\), as in "main\\(".'],
  [/character class/i, 'A bracket meant as itself is written \\[, as in "args\\[0\\]".'],
  [/unrecognized escape/i, 'Leave out the backslash before characters that have no meaning of their own.'],
]

/** The message of a search that could not be made, with advice on how to ask. */
export function explainQuery(message: string, type: string | undefined): string {
  const said = message.replace(/([^.])$/, '$1.')
  if (type !== undefined && /file type/.test(message)) return `${said}${didYouMean(type, FILE_TYPES)}`
  const found = ADVICE.find(([says]) => says.test(message))
  return found === undefined ? said : `${said} ${found[1]}`
}

/** The kinds of files that ripgrep knows and that are asked for; beside the names people use for them. */
const FILE_TYPES =
  'asciidoc asm awk bazel c clojure cmake config cpp csharp css csv cuda dart diff docker elixir elm erlang fish fsharp go gradle graphql groovy h haskell html java jinja js json jsonl julia jupyter kotlin less lisp lock log lua make markdown md nim nix objc ocaml perl php protobuf ps py python r rst ruby rust sass scala sh sql svelte svg swift tcl tex tf toml ts txt typescript vim vue xml yaml zig zsh'.split(
    ' ',
  )
