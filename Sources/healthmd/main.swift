print("healthmd")
