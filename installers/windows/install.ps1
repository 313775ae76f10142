<#
.SYNOPSIS
Installs or upgrades the Grantwright agent, enrols this host, and starts the agent as a service.

.DESCRIPTION
The program goes to %ProgramFiles%\Grantwright\Agent, its keys and membership to %ProgramData%\Grantwright\Agent, which only
SYSTEM and administrators can open. A host that is enrolled already is not enrolled again: run the script of a newer version to
upgrade. After a failure, mend what it names and run it again.

The enrolment token is asked for, or read from -TokenFile. It is never an argument: those can be read by others on this host.

.PARAMETER Url
Address of the control plane, such as https://grantwright.example.org. Needed for a host that is not enrolled.

.PARAMETER TokenFile
File that holds the enrolment token. Delete it afterwards.

.PARAMETER CaFile
PEM file with certificates to trust besides the system's.

.PARAMETER Proxy
Address of the proxy, without a password. For one that wants a password set the machine's variable HTTPS_PROXY, and restart the
host first.

.EXAMPLE
.\install.ps1 -Url https://grantwright.example.org
#>
#Requires -Version 5.1
#Requires -RunAsAdministrator
[CmdletBinding()]
param(
    [string] $Url,
    [string] $TokenFile,
    [string] $CaFile,
    [string] $Proxy
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$service = 'grantwright-agent'
$vendor = Join-Path $env:ProgramData 'Grantwright'
$data = Join-Path $vendor 'Agent'
$program = Join-Path $env:ProgramFiles 'Grantwright\Agent'
$exe = Join-Path $program 'grantwright-agent.exe'

# Full access for SYSTEM and administrators, who own it, and for nobody else; inherited by what is made inside.
$closed = 'O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'

function Assert-OwnDirectory([string] $Path) {
    # Every user may make folders in %ProgramData%: one that was laid out beforehand stays its maker's.
    $item = Get-Item -LiteralPath $Path -Force
    if ($item.Attributes -band [System.IO.FileAttributes]::ReparsePoint) {
        throw "$Path is a link. Find out who made it and remove it."
    }
    $owner = (Get-Acl -LiteralPath $Path).GetOwner([System.Security.Principal.SecurityIdentifier]).Value
    $me = [System.Security.Principal.WindowsIdentity]::GetCurrent().User.Value
    if ($owner -notin 'S-1-5-18', 'S-1-5-32-544', $me) {
        throw "$Path belongs to $owner, not to the administrators. Find out who made it and remove it."
    }
}

function New-ClosedDirectory([string] $Path) {
    $security = New-Object System.Security.AccessControl.DirectorySecurity
    $security.SetSecurityDescriptorSddlForm($closed)
    # Made closed, so that there is no moment in which somebody else could put something inside.
    if ($PSVersionTable.PSEdition -eq 'Core') {
        [void] [System.IO.FileSystemAclExtensions]::CreateDirectory($security, $Path)
    } else {
        [void] [System.IO.Directory]::CreateDirectory($Path, $security)
    }
    Assert-OwnDirectory $Path
    Set-Acl -LiteralPath $Path -AclObject $security
}

function Stop-Agent {
    if (-not (Get-Service -Name $service -ErrorAction SilentlyContinue)) { return }
    Write-Host 'Stopping the running agent.'
    Stop-Service -Name $service
}

function Copy-Program {
    [void] (New-Item -ItemType Directory -Path $program -Force)
    for ($try = 1; ; $try++) {
        try {
            Copy-Item -LiteralPath (Join-Path $PSScriptRoot 'grantwright-agent.exe') -Destination $exe -Force
            break
        } catch [System.IO.IOException] {
            # The file is held for a moment after the service has stopped.
            if ($try -ge 20) { throw }
            Start-Sleep -Milliseconds 500
        }
    }
    foreach ($name in 'uninstall.ps1', 'LICENSE', 'README.txt') {
        Copy-Item -LiteralPath (Join-Path $PSScriptRoot $name) -Destination $program -Force
    }
}

function Assert-Success([string] $What) {
    # The program has said why on the screen.
    if ($LASTEXITCODE -ne 0) { throw "$What failed (exit code $LASTEXITCODE)." }
}

function Register-Host {
    $options = @('enroll', '--url', $Url, '--data', $data)
    if ($CaFile) { $options += '--ca-file', (Resolve-Path -LiteralPath $CaFile).ProviderPath }
    if ($Proxy) { $options += '--proxy', $Proxy }
    if ($TokenFile) {
        & $exe @options --token-file (Resolve-Path -LiteralPath $TokenFile).ProviderPath
        Assert-Success 'Enrolling'
        Write-Host "Enrolled. The token was good for this once: delete $TokenFile."
        return
    }
    $token = New-Object System.Net.NetworkCredential('', (Read-Host -AsSecureString 'Enrolment token'))
    $OutputEncoding = New-Object System.Text.ASCIIEncoding
    $token.Password | & $exe @options --token-stdin
    Assert-Success 'Enrolling'
}

$enrolled = Test-Path -LiteralPath (Join-Path $data 'agent.json')
if (-not $enrolled -and -not $Url) {
    throw 'This host is not enrolled. Say with -Url where the control plane is, such as https://grantwright.example.org.'
}
if ($Proxy -like '*@*') {
    throw 'An argument can be read by others on this host: give a proxy with a password by the machine''s variable HTTPS_PROXY.'
}

New-ClosedDirectory $vendor
New-ClosedDirectory $data
Stop-Agent
Copy-Program
if (-not $enrolled) { Register-Host }
if (-not (Get-Service -Name $service -ErrorAction SilentlyContinue)) {
    & $exe service install --data $data
    Assert-Success 'Installing the service'
}
& $exe service start --data $data
Assert-Success 'Starting the service'
Write-Host "The agent runs as the service $service. `"$exe`" status tells how it is."
