import type { SimpleCommand } from '../../contract/command.js'

const NAME_PRINTERS = /^(?:ls|dir|vdir|stat|du|tree|find|fd|fdfind|eza|exa|test|\[|readlink|realpath|basename|dirname)$/
/** Options that read the content of a file, such as a list of names. */
const READS_CONTENT = /from|file|^-X/

/** Whether a command prints names and sizes of files, but nothing of their content. */
export function printsOnlyNames({ words, possible }: SimpleCommand): boolean {
  const [program = '', ...args] = words
  return (
    possible === undefined &&
    NAME_PRINTERS.test(program) &&
    !args.some((text) => /^-/.test(text) && READS_CONTENT.test(text))
  )
}

/** Programs that send, pack or print whole folders. */
const TREE_COPYING_COMMAND =
  /(?:^|\/)(?:scp|rsync|zip|7z|7za|tar|cp|docker|podman|aws|gsutil|rclone|ack|ag|ugrep|pt|repomix|code2prompt|serve)$/

/** Whether a program uses everything in the folders that it is given. */
export function copiesTrees({ words }: SimpleCommand): boolean {
  return TREE_COPYING_COMMAND.test(words[0] ?? '')
}
