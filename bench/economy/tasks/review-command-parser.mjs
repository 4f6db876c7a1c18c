import { bash, edit, glob, grep, read, write } from '../calls.mjs'

/** A large file that is read in parts, edits far apart, refused and failed calls, a web page, a notebook of findings. */
export default {
  package: 'commander',
  prompt:
    'Unknown options should suggest up to three similar options instead of only the best ones, and the distance should be a setting of the command (maxSuggestionDistance). Add it, with a check, and write your findings about the suggestion code to NOTES.md.',
  permissions: [
    '--permission-mode',
    'acceptEdits',
    '--allowed-tools',
    'Bash(node check.js), Bash(rm check.js), WebFetch',
  ],
  turns: [
    [glob('**/*.{js,ts,mjs}'), read('package.json')],
    [read('lib/suggestSimilar.js')],
    [grep('suggestSimilar', { output_mode: 'content' })],
    [grep('_showSuggestionAfterError', { path: 'lib/command.js', output_mode: 'content', '-C': 3 })],
    [read('lib/command.js', { limit: 90 })],
    [grep('unknownOption|unknownCommand', { path: 'lib/command.js', output_mode: 'content' })],
    [read('lib/command.js', { offset: 1690, limit: 60 })],
    [bash('npm view commander version', { description: 'Look up the newest version' })],
    [{ name: 'WebFetch', input: { url: 'https://127.0.0.1:9/commander', prompt: 'What is the default distance?' } }],
    [
      edit(
        'lib/suggestSimilar.js',
        'function suggestSimilar(word, candidates) {',
        'function suggestSimilar(word, candidates, limit = maxDistance) {',
      ),
    ],
    [edit('lib/suggestSimilar.js', '  let bestDistance = maxDistance;\n', '  const found = [];\n')],
    [read('lib/suggestSimilar.js', { offset: 48, limit: 53 })],
    [
      edit(
        'lib/suggestSimilar.js',
        '      if (distance < bestDistance) {\n        // better edit distance, throw away previous worse matches\n        bestDistance = distance;\n        similar = [candidate];\n      } else if (distance === bestDistance) {\n        similar.push(candidate);\n      }\n',
        '      if (distance <= limit) found.push({ candidate, distance });\n',
      ),
    ],
    [
      edit(
        'lib/suggestSimilar.js',
        '  similar.sort((a, b) => a.localeCompare(b));\n',
        '  found.sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate));\n  let similar = found.slice(0, 3).map(({ candidate }) => candidate);\n',
      ),
    ],
    [edit('lib/suggestSimilar.js', '  let similar = [];\n  const found = [];\n', '  const found = [];\n')],
    [
      bash(
        "node -e \"console.log(require('./lib/suggestSimilar').suggestSimilar('--colr',['--color','--colors','--cool','--help']))\"",
      ),
    ],
    [
      edit(
        'lib/command.js',
        '    this._showSuggestionAfterError = true;\n',
        '    this._showSuggestionAfterError = true;\n    this._maxSuggestionDistance = 3;\n',
      ),
    ],
    [grep('copyInheritedSettings', { path: 'lib/command.js', output_mode: 'content', '-A': 20 })],
    [
      edit(
        'lib/command.js',
        '    this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;\n',
        '    this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;\n    this._maxSuggestionDistance = sourceCommand._maxSuggestionDistance;\n',
      ),
    ],
    [
      edit(
        'lib/command.js',
        'suggestSimilar(flag, candidateFlags)',
        'suggestSimilar(flag, candidateFlags, this._maxSuggestionDistance)',
      ),
    ],
    [
      edit(
        'lib/command.js',
        'suggestSimilar(unknownName, candidateNames)',
        'suggestSimilar(unknownName, candidateNames, this._maxSuggestionDistance)',
      ),
    ],
    [
      edit(
        'lib/command.js',
        '  showSuggestionAfterError(displaySuggestion = true) {',
        '  maxSuggestionDistance(distance) {\n    this._maxSuggestionDistance = distance;\n    return this;\n  }\n\n  showSuggestionAfterError(displaySuggestion = true) {',
      ),
    ],
    [grep('maxSuggestionDistance', { output_mode: 'content' })],
    [read('lib/command.js', { offset: 205, limit: 35 })],
    [
      write(
        'check.js',
        "const { Command } = require('.');\nconst command = new Command('demo').option('--color').option('--colors').option('--cool').exitOverride();\nfor (const distance of [1, 3]) {\n  command.maxSuggestionDistance(distance);\n  try { command.parse(['--colr'], { from: 'user' }); } catch (error) { console.log(distance, error.code); }\n}\n",
      ),
    ],
    [bash('node check.js')],
    [grep('showSuggestionAfterError', { path: 'typings/index.d.ts', output_mode: 'content' })],
    [read('typings/index.d.ts', { offset: 465, limit: 30 })],
    [
      edit(
        'typings/index.d.ts',
        '  showSuggestionAfterError(displaySuggestion?: boolean): this;\n',
        '  showSuggestionAfterError(displaySuggestion?: boolean): this;\n\n  /** Suggest only options and commands within this edit distance; 3 by default. */\n  maxSuggestionDistance(distance: number): this;\n',
      ),
    ],
    [bash('git push origin main', { description: 'Push the change' })],
    [
      write(
        'NOTES.md',
        '# Suggestions\n\n- `suggestSimilar` compared with the best distance only; it now keeps up to three within the limit.\n- The limit is `maxSuggestionDistance`, inherited by subcommands.\n- Candidates of one character are still ignored.\n',
      ),
    ],
    [bash('node check.js; rm check.js; git status --short; git diff --stat')],
  ],
  answer:
    'Up to three options are suggested within maxSuggestionDistance. NOTES.md has the findings. Pushing was not permitted.',
}
