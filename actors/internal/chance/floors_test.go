package chance_test

// floors are what must occur at least in the logs of a profile, see
// TestStatistics. What a profile is not for has no floor.
var floors = map[string]tally{
	"tight": {
		"same instant": 3000, "three grants on": 120,
		"granted": 1500, "queued": 750, "renewed": 400, "released": 350, "withdrawn": 50,
		"error: client busy": 700, "error: not holder": 500, "error: stale token": 35,
		"granted with a victim": 50, "queued with a victim": 10, "deadlock with a victim": 50,
		"ok": 200, "value read": 70, "null": 45,
		"inspect with a queue": 70, "status of a waiter": 25, "status of a holder of several": 15,
	},
	"transactions": {
		"granted": 1500, "queued": 1500, "released": 1200, "withdrawn": 80, "renewed": 150, "error: client busy": 350,
		"granted with a victim": 60, "granted with victims": 45, "queued with a victim": 25, "queued with victims": 13,
		"deadlock with a victim": 70, "deadlock with victims": 45, "status of a waiter": 60,
	},
	"readers": {
		"granted": 1800, "queued": 1100, "released": 480, "withdrawn": 80, "renewed": 300,
		"inspect with several holders": 85, "inspect with a queue": 95,
		"granted with victims": 30, "deadlock with a victim": 24, "deadlock with victims": 40,
	},
	"lapse chains": {
		"same instant": 4400, "three grants on": 240, "queued": 2500, "granted": 1000, "withdrawn": 80,
		"inspect with a queue": 300, "inspect with several holders": 23, "error: not holder": 190, "renewed": 140,
		"deadlock with victims": 8, "queued with victims": 6,
	},
	"bystanders": {
		"granted": 1300, "queued": 2600, "withdrawn": 65,
		"granted with a victim": 18, "granted with victims": 85, "queued with a victim": 29, "queued with victims": 70,
		"deadlock with a victim": 45, "deadlock with victims": 130, "inspect with a queue": 60,
	},
	"sparse": {
		"granted": 2500, "queued": 300, "renewed": 200, "released": 200, "ok": 350, "value read": 220, "null": 150,
		"granted with a victim": 30, "queued with a victim": 20, "deadlock with a victim": 28, "error: not holder": 400,
	},
	"bad input": {
		"error: invalid arguments": 1400, "error: unknown operation": 400, "error: invalid ttl": 44,
		"error: client busy": 300, "error: not holder": 400, "error: stale token": 120,
		"time went back": 480, "granted": 800, "queued": 300, "released": 230, "withdrawn": 35,
		"value read": 180, "null": 110, "ok": 370, "inspect with a queue": 75,
		"op: no list": 100, "op: invalid UTF-8": 80, "op: surrogate": 80, "op: huge number": 200,
		"op: spelt differently": 150, "op: spaces": 200, "op: nested": 200,
	},
	"repeats": {
		"repeat": 2000, "repeat refused": 440, "repeat with victims": 16,
		"run: granted": 600, "run: queued": 390, "run: deadlock": 8, "run: error: client busy": 490,
		"run: error: not holder": 350, "run: error: stale token": 50, "run: error: invalid ttl": 6,
		"run: error: invalid arguments": 90, "run: error: unknown operation": 47, "run: ok": 150, "run: other": 480,
		"run: released": 35, "run: renewed": 26, "run: withdrawn": 22, "inspect with a queue": 110, "value read": 60,
	},
	"looks": {
		"inspect": 1300, "inspect with a queue": 65, "inspect with several holders": 7, "status": 900,
		"status of a waiter": 58, "status of a holder of several": 23, "status of a stranger": 350,
		"granted with victims": 18, "deadlock with victims": 18, "three grants on": 145, "withdrawn": 19,
	},
	"mix": {
		"granted": 1600, "queued": 1100, "released": 300, "renewed": 180, "withdrawn": 50, "error: client busy": 500,
		"error: not holder": 300, "error: invalid arguments": 200, "error: unknown operation": 40,
		"error: stale token": 20, "error: invalid ttl": 4, "repeat": 170, "repeat refused": 40, "time went back": 45,
		"granted with a victim": 30, "granted with victims": 22, "queued with a victim": 18, "queued with victims": 15,
		"deadlock with a victim": 40, "deadlock with victims": 38, "value read": 55, "null": 60,
	},
}
