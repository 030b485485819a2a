module clientpeer

go 1.19
