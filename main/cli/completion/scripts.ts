/**
 * What each shell runs to complete `causeway`. Names come from workspaces: no script lets its shell evaluate them, which
 * `compgen -W` in bash, `eval` and `_describe` after a split would.
 */
export const SCRIPTS = {
  bash: `# bash completion for causeway; to install it:
#   causeway completion bash > ~/.local/share/bash-completion/completions/causeway
_causeway() {
  local kind= value=
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ -z $kind ]]; then kind=$value; else COMPREPLY+=("$value"); fi
  done < <(causeway __complete bash "$COMP_LINE" "$COMP_POINT" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    *) if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi ;;
  esac
}
complete -F _causeway causeway
`,
  zsh: `#compdef causeway
# zsh completion for causeway; to install it, with a folder in your fpath:
#   causeway completion zsh > "\${fpath[1]}/_causeway"
_causeway() {
  local kind value description
  local -a values shown before
  before=("\${(@Q)words[2,CURRENT-1]}")
  while IFS=$'\\t' read -r value description; do
    if [[ -z $kind ]]; then kind=$value; continue; fi
    values+=("$value")
    if [[ -n $description ]]; then shown+=("$value  -- $description"); else shown+=("$value"); fi
  done < <(causeway __complete zsh "=\${(Q)PREFIX}" "\${before[@]}" 2>/dev/null)
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    *) (( \${#values} )) && compadd -U -l -d shown -- "\${values[@]}" ;;
  esac
}
if [[ \${funcstack[1]} == _causeway ]]; then _causeway "$@"; else compdef _causeway causeway; fi
`,
  fish: `# fish completion for causeway; to install it:
#   causeway completion fish > ~/.config/fish/completions/causeway.fish
function __causeway_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -r "^[\\"']" '' | string replace -ra '\\\\\\\\(.)' '$1')
    set -l found (causeway __complete fish "=$current" $words[2..-1] 2>/dev/null)
    switch "$found[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            test (count $found) -gt 1; and printf '%s\\n' $found[2..-1]
    end
end
complete -c causeway -f -a '(__causeway_complete)'
`,
  powershell: `# PowerShell completion for causeway; to install it:
#   causeway completion powershell | Add-Content $PROFILE
Register-ArgumentCompleter -Native -CommandName causeway, causeway.exe -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $current = $wordToComplete.Trim("'", '"')
  $kind = $null
  $encoding = [Console]::OutputEncoding
  # Without a console, as in the ISE, there is nothing to set.
  try { [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false) } catch { }
  try {
    & causeway __complete powershell "=$current" @words 2>$null | ForEach-Object {
      if ($null -eq $kind) { $kind = $_; return }
      $value, $description = $_ -split "\`t", 2
      if (-not $description) { $description = $value }
      $text = if ($value -match '^[\\w./:=+-]+$') { $value } else { "'" + ($value -replace "'", "''") + "'" }
      [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
  } finally {
    try { [Console]::OutputEncoding = $encoding } catch { }
  }
}
`,
} as const;
