/** The kinds of files that ripgrep knows and that are asked for; beside the names people use for them. */
export const FILE_TYPES =
  'asciidoc asm awk bazel c clojure cmake config cpp csharp css csv cuda dart diff docker elixir elm erlang fish fsharp go gradle graphql groovy h haskell html java jinja js json jsonl julia jupyter kotlin less lisp lock log lua make markdown md nim nix objc ocaml perl php protobuf ps py python r rst ruby rust sass scala sh sql svelte svg swift tcl tex tf toml ts txt typescript vim vue xml yaml zig zsh'.split(
    ' ',
  )
