backends = {"fake": object()}
