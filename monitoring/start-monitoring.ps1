# SPDX-License-Identifier: MIT
<#
.SYNOPSIS
Starts the monitoring stack; with a switch, stops or restarts it, or shows its status or logs.
.DESCRIPTION
Runs docker-compose.monitoring.yml with Docker. Settings come from .env (copy .env.example to .env first).
.EXAMPLE
.\start-monitoring.ps1
.EXAMPLE
.\start-monitoring.ps1 -Logs -Service prometheus
#>
param(
    [switch]$Stop,
    [switch]$Restart,
    [switch]$Status,
    [switch]$Logs,
    [string]$Service
)

$ErrorActionPreference = 'Stop'
Set-Location -Path $PSScriptRoot
$WaitSeconds = 120

function Get-Setting([string]$Name, [string]$Default) {
    $value = [Environment]::GetEnvironmentVariable($Name)
    if (-not $value -and (Test-Path -Path '.env')) {
        $line = Get-Content -Path '.env' | Where-Object { $_ -match "^$Name=" } | Select-Object -Last 1
        if ($line) { $value = $line.Substring($Name.Length + 1) }
    }
    if ($value) { return $value }
    return $Default
}

function Stop-WithMessage([string]$Message) {
    Write-Host $Message -ForegroundColor Red
    exit 1
}

function Invoke-Compose {
    & docker compose -f docker-compose.monitoring.yml @args
    if ($LASTEXITCODE -ne 0) { Stop-WithMessage "docker compose $($args -join ' ') failed; see above." }
}

function Assert-Docker {
    if (-not (Get-Command -Name docker -ErrorAction SilentlyContinue)) {
        Stop-WithMessage 'Docker is not installed: https://docs.docker.com/desktop'
    }
    & docker info *> $null
    if ($LASTEXITCODE -ne 0) { Stop-WithMessage 'Docker does not respond: start Docker Desktop.' }
    if (-not (Test-Path -Path '.env')) {
        Stop-WithMessage 'monitoring\.env is missing: copy .env.example to .env, and choose the components to run (COMPOSE_PROFILES).'
    }
}

function Get-Ports {
    $ports = [ordered]@{
        'Grafana' = Get-Setting 'GRAFANA_PORT' '3000'
        'Prometheus' = Get-Setting 'PROMETHEUS_PORT' '9090'
        'Alertmanager' = Get-Setting 'ALERTMANAGER_PORT' '9093'
        'Node exporter' = Get-Setting 'NODE_EXPORTER_PORT' '9100'
        'cAdvisor' = Get-Setting 'CADVISOR_PORT' '8080'
    }
    $profiles = (Get-Setting 'COMPOSE_PROFILES' '').Split(',')
    if ($profiles -contains 'winpower') { $ports['WinPower exporter'] = Get-Setting 'WINPOWER_EXPORTER_PORT' '9877' }
    if ($profiles -contains 'redis') { $ports['Redis exporter'] = Get-Setting 'REDIS_EXPORTER_PORT' '9121' }
    if ($profiles -contains 'kafka') { $ports['Kafka exporter'] = Get-Setting 'KAFKA_EXPORTER_PORT' '9308' }
    if ($profiles -contains 'gateway') { $ports['Gateway'] = Get-Setting 'GATEWAY_PORT' '9464' }
    return $ports
}

function Assert-PortsFree($Ports) {
    $taken = @()
    foreach ($name in $Ports.Keys) {
        $client = New-Object -TypeName System.Net.Sockets.TcpClient
        try {
            $client.Connect('127.0.0.1', [int]$Ports[$name])
            $taken += "$($Ports[$name]) ($name)"
        } catch [System.Net.Sockets.SocketException] {
            # Nothing listens, so the port is free.
        } finally {
            $client.Dispose()
        }
    }
    if ($taken.Count -gt 0) {
        Stop-WithMessage "In use on this machine: $($taken -join ', '). Stop what listens there, or set other ports in monitoring\.env."
    }
}

function Wait-Healthy {
    Write-Host 'Waiting until every service is healthy; a first start takes 1 to 2 minutes.'
    $deadline = (Get-Date).AddSeconds($WaitSeconds)
    $format = '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}'
    while ($true) {
        $waiting = @()
        foreach ($id in (& docker compose -f docker-compose.monitoring.yml ps -q)) {
            $state = & docker inspect -f $format $id
            if ($state -ne 'healthy' -and $state -ne 'running') { $waiting += (& docker inspect -f '{{.Name}}' $id) }
        }
        if ($waiting.Count -eq 0) { return }
        if ((Get-Date) -gt $deadline) {
            Stop-WithMessage "Not healthy after $WaitSeconds s: $($waiting -join ', '). Look at: .\start-monitoring.ps1 -Logs"
        }
        Start-Sleep -Seconds 2
    }
}

function Assert-Settings {
    $profiles = (Get-Setting 'COMPOSE_PROFILES' '').Split(',')
    if ($profiles -contains 'winpower' -and -not ((Get-Setting 'WINPOWER_BASE_URL' '') -and (Get-Setting 'WINPOWER_PASSWORD' ''))) {
        Stop-WithMessage 'The winpower profile needs WINPOWER_BASE_URL and WINPOWER_PASSWORD in monitoring\.env.'
    }
    $bind = Get-Setting 'MONITORING_BIND' '127.0.0.1'
    $local = $bind -like '127.*' -or $bind -eq '[::1]' -or $bind -eq 'localhost'
    if (-not $local -and (Get-Setting 'GRAFANA_PASSWORD' 'admin123') -eq 'admin123') {
        Stop-WithMessage "MONITORING_BIND=$bind publishes Grafana with its default password: set GRAFANA_PASSWORD in monitoring\.env."
    }
}

function Start-Stack {
    Assert-Settings
    $ports = Get-Ports
    if (-not (& docker compose -f docker-compose.monitoring.yml ps -q)) { Assert-PortsFree $ports }
    Invoke-Compose up -d
    Wait-Healthy
    foreach ($name in $ports.Keys) { Write-Host ('{0,-18} http://localhost:{1}' -f $name, $ports[$name]) }
    Write-Host 'Grafana asks for the user and password of .env (admin/admin123 until you change it).'
}

Assert-Docker
if ($Stop) {
    Invoke-Compose down
} elseif ($Restart) {
    Invoke-Compose down
    Start-Stack
} elseif ($Status) {
    Invoke-Compose ps
} elseif ($Logs) {
    if ($Service) { Invoke-Compose logs --tail 100 $Service } else { Invoke-Compose logs --tail 100 }
} else {
    Start-Stack
}
