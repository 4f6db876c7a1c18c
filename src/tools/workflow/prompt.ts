export const prompt = `Runs a workflow: a JavaScript script of agents and tool calls, with a journal on disk. Use it for work with a known plan and many steps: the same task for many files, several agents in parallel whose results are combined, or long work that must survive an interruption. For a single question use Agent, for a quick computation REPL.

In the script, every call of a tool or agent is a step:
- await agent("prompt", { label: "review api" }): runs a sub-agent and returns the text of its answer. Further options: agentType, model, isolation.
- await tools.Bash({ command: "npm test" }, { name: "tests" }): calls any tool with its usual input, and returns its data. A failed or denied call throws an Error with code and message.
- await parallel([() => agent("a"), () => agent("b")]): runs branches at the same time, waits for all and returns their values. pipeline(items, stage1, stage2) runs each item through all stages.
- phase("Review") names the part of the work that follows, for the user. log(…) prints. The value of the last expression, or of return, is the result.

The script is plain JavaScript with top-level await: no imports, files, network or timers. The time (Date) stands still and Math.random repeats, because a resumed script must do the same again.

Each step is recorded before the script continues. If a run fails, is stopped or interrupted, call Workflow with resumeFromRunId (the id that you got, or "last"): the script starts again, finished steps return their recorded results without running, and the rest runs. Leave script out to use the recorded one, or pass a script that is changed only after the steps that have run. A step that was running when Haft ended has an unknown outcome: it is repeated if it only reads or has the option { ifUnknown: "repeat" }, else it throws an error with code "outcome_unknown".

budget limits what one call may use: steps, minutes, usd.`
