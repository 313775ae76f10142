<#
.SYNOPSIS
Stops and removes the Grantwright agent. It needs no network.

.DESCRIPTION
The data directory, %ProgramData%\Grantwright\Agent, stays with the agent's keys and membership, so that the agent can be
installed again. -Purge removes it too. Revoke the agent in Grantwright as well: removing it here tells nobody there.

.PARAMETER Purge
Remove the keys and the membership as well.
#>
#Requires -Version 5.1
#Requires -RunAsAdministrator
[CmdletBinding()]
param([switch] $Purge)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$service = 'grantwright-agent'
$vendor = Join-Path $env:ProgramData 'Grantwright'
$data = Join-Path $vendor 'Agent'
$programs = Join-Path $env:ProgramFiles 'Grantwright'
$program = Join-Path $programs 'Agent'
$exe = Join-Path $program 'grantwright-agent.exe'

function Remove-AgentService {
    if (-not (Get-Service -Name $service -ErrorAction SilentlyContinue)) { return }
    Stop-Service -Name $service -ErrorAction Continue
    if (Test-Path -LiteralPath $exe) {
        & $exe service uninstall --data $data
        if ($LASTEXITCODE -eq 0) { return }
    }
    # The program is gone or does not run: the service is removed all the same.
    & (Join-Path $env:SystemRoot 'System32\sc.exe') delete $service
    if ($LASTEXITCODE -ne 0) { throw "The service could not be removed (sc.exe exit code $LASTEXITCODE)." }
}

function Remove-Tree([string] $Path) {
    for ($try = 1; Test-Path -LiteralPath $Path; $try++) {
        try {
            Remove-Item -LiteralPath $Path -Recurse -Force
        } catch {
            # The program's file is held for a moment after the service has stopped.
            if ($try -ge 20) { throw }
            Start-Sleep -Milliseconds 500
        }
    }
}

function Remove-IfEmpty([string] $Path) {
    if ((Test-Path -LiteralPath $Path) -and -not (Get-ChildItem -LiteralPath $Path -Force)) {
        Remove-Item -LiteralPath $Path -Force
    }
}

Remove-AgentService
Set-Location -LiteralPath $env:SystemRoot
Remove-Tree $program
Remove-IfEmpty $programs
if ($Purge) {
    Remove-Tree $data
    Remove-IfEmpty $vendor
    Write-Host 'The agent, its keys and its membership are removed. Revoke the agent in Grantwright too.'
} else {
    Write-Host "The agent is removed. Its keys and membership stay in $data; -Purge removes them."
}
